import { type Limits, PLANS } from '../../auth/keys/plan.js';
import { errorJson } from '../../http/errors/api-error.js';
import { refuse } from '../../rate-limit/windows/decision.js';
import { tooManyRequests } from '../../rate-limit/rate-limit-headers.js';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../rate-limit/windows/usage.js';
import { formatCount, planTitle } from '../document/outline.js';
import { API_KEY_SCHEME } from '../operation.decorator.js';
import { ASSETS, renderPage } from './page.js';

/** Time of the examples, in Unix time in seconds: noon of a UTC day. */
const NOON_SECONDS = 1_795_262_400;

/** The page about plans, for people who sell or buy the API. Its scripts draw the pictures and the usage of a key. */
export function plansPage(anonymous: Limits): string {
  return renderPage({
    title: 'Plans and usage · Pet Store Service',
    name: 'Plans and usage',
    base: './',
    head: `
  <link rel="stylesheet" href="./${ASSETS}plans/plans.css">
  <script src="./${ASSETS}plans/usage.js" type="module"></script>
  <script src="./${ASSETS}plans/simulator.js" type="module"></script>`,
    body: `
  <main id="content" tabindex="-1">
    <header>
      <h1>Plans and usage</h1>
      <p class="lead">A plan belongs to an account and limits its requests per minute and per day. All API keys of the account share these limits, so more keys do not give more requests.</p>
    </header>

    <section aria-labelledby="plans-title">
      <h2 id="plans-title">Plans</h2>
      <ul class="plans">
        ${Object.entries(PLANS).map(planCard).join('\n        ')}
      </ul>
      <p>Requests without a valid key count against the client's address: ${formatCount(anonymous.perMinute)} a minute and ${formatCount(anonymous.perDay)} a day. They never count against a plan.</p>
    </section>

    <section aria-labelledby="usage-title">
      <h2 id="usage-title">Your usage</h2>
      <div id="usage" data-scheme="${API_KEY_SCHEME}"><noscript><p>This needs JavaScript. <code>GET /v1/usage</code> returns the same.</p></noscript></div>
      <h3>Your requests over time</h3>
      <div id="history"><noscript><p>This needs JavaScript. <code>GET /v1/usage/history</code> returns the same.</p></noscript></div>
    </section>

    <section aria-labelledby="windows-title">
      <h2 id="windows-title">How the limits work</h2>
      <div class="columns">
        <p><strong>The minute</strong> begins with the first request and ends 60 seconds later. The next request begins a new minute.</p>
        <p><strong>The day</strong> is the UTC day. A request is admitted if both windows have requests left, and counts in both. A refused request does not count.</p>
        <p><strong>A ban</strong> follows if a key is refused as often within one minute as its minute limit. It lasts a minute. Each further ban within 24 hours lasts twice as long, up to an hour. Requests during a ban do not extend it.</p>
      </div>
      <figure id="simulator" aria-labelledby="simulator-title">
        <h3 id="simulator-title">Try it: four minutes of a client</h3>
        <noscript><p>The picture needs JavaScript.</p></noscript>
      </figure>
    </section>

    <section aria-labelledby="refusals-title">
      <h2 id="refusals-title">What a client sees</h2>
      <p>Every response shows the window with fewer requests left: <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (Unix time in seconds). Responses over a limit of the Pro plan:</p>
      ${refusals(PLANS.pro).join('\n      ')}
    </section>

    <section aria-labelledby="advice-title">
      <h2 id="advice-title">What a client should do</h2>
      <ol>
        <li>After a 429, wait for the number of seconds in <code>Retry-After</code>. No request is admitted earlier.</li>
        <li>After each further refusal, wait twice as long, plus a random delay, so that clients do not retry all at once.</li>
        <li>Slow down before you reach a limit: send fewer requests when <code>X-RateLimit-Remaining</code> is low.</li>
        <li>Get your usage with <code>GET /v1/usage</code>. It uses no quota, and works during a ban.</li>
      </ol>
    </section>
  </main>`,
  });
}

function planCard([name, limits]: [string, Limits | undefined]): string {
  const data = limits === undefined ? '' : ` data-per-minute="${limits.perMinute}" data-per-day="${limits.perDay}"`;
  return `<li data-plan="${name}"${data}><h3>${planTitle(name)}</h3><dl><div><dt>requests per minute</dt><dd>${formatCount(limits?.perMinute)}</dd></div><div><dt>requests per day</dt><dd>${formatCount(limits?.perDay)}</dd></div></dl></li>`;
}

function refusals({ perMinute, perDay }: Limits): string[] {
  const minute = { limit: perMinute, windowSeconds: MINUTE_SECONDS, resetSeconds: NOON_SECONDS + 42 };
  const day = { limit: perDay, windowSeconds: DAY_SECONDS, resetSeconds: NOON_SECONDS + 43_200 };
  const ban = { ...minute, resetSeconds: NOON_SECONDS + 60 };
  const decisions = {
    'The minute is used up': refuse('limited', minute, NOON_SECONDS),
    'The day is used up': refuse('limited', day, NOON_SECONDS),
    'The key is banned': refuse('banned', ban, NOON_SECONDS),
  };
  return Object.entries(decisions).map(([when, decision]) => {
    const problem = tooManyRequests(decision);
    const headers = Object.entries(problem.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const response = [`HTTP/1.1 ${problem.status} Too Many Requests`, ...headers, '', errorJson(problem)];
    return `<h3>${when}</h3>
      <pre tabindex="0"><code>${response.join('\n')}</code></pre>`;
  });
}
