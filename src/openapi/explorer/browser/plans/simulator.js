import { html } from '../site/elements.js';
import { drawDay, drawStory } from './picture.js';
import { simulate } from './simulation.js';

const SECONDS = 240;
/** In pixels. */
const LEAST_WIDTH = 150;

/**
 * @typedef {import('./simulation.js').Story} Story
 * @typedef {{ name: string, perMinute: number, perDay: number }} Plan
 */

/** @type {Plan[]} */
const plans = [...document.querySelectorAll('[data-per-minute]')].map((card) => {
  const { plan = '', perMinute, perDay } = /** @type {HTMLElement} */ (card).dataset;
  return { name: plan.charAt(0).toUpperCase() + plan.slice(1), perMinute: Number(perMinute), perDay: Number(perDay) };
});

const figure = /** @type {HTMLElement} */ (document.querySelector('#simulator'));
const controls = html('form', { class: 'controls' });
const picture = html('div', { class: 'picture' });
const words = html('figcaption', { 'aria-live': 'polite' });
const legend = html(
  'ul',
  { class: 'legend' },
  ...[
    ['admitted', 'admitted'],
    ['limited', '429 rate_limit_exceeded'],
    ['banned', '429 api_key_banned'],
  ].map(([kind = '', text = '']) => html('li', { class: kind }, text)),
);
controls.append(
  html(
    'fieldset',
    {},
    html('legend', {}, 'Plan'),
    ...plans.map(({ name }, index) =>
      html(
        'label',
        {},
        html('input', { type: 'radio', name: 'plan', value: index, ...(index === 0 ? { checked: '' } : {}) }),
        name,
      ),
    ),
  ),
  html(
    'label',
    { class: 'rate' },
    html('span', {}, 'Requests per minute'),
    html('input', { type: 'range', name: 'share', min: 25, max: 500, step: 25, value: 300 }),
    html('output', { name: 'rate' }),
  ),
  html('label', {}, html('input', { type: 'checkbox', name: 'waits' }), 'The client waits for Retry-After'),
);
figure.append(controls, picture, legend, words);

controls.addEventListener('input', draw);
controls.addEventListener('submit', (event) => event.preventDefault());
new ResizeObserver(draw).observe(picture);

function draw() {
  const width = Math.floor(picture.clientWidth);
  // Not laid out yet: the observer calls again.
  if (width < LEAST_WIDTH) return;
  const chosen = new FormData(/** @type {HTMLFormElement} */ (controls));
  const plan = plans[Number(chosen.get('plan'))];
  if (plan === undefined) return;
  const pace = Math.round((plan.perMinute * Number(chosen.get('share'))) / 100);
  const story = simulate({ ...plan, pace, waits: chosen.has('waits'), seconds: SECONDS });
  /** @type {HTMLOutputElement} */ (controls.querySelector('output')).value = count(pace);
  controls.querySelector('[name=share]')?.setAttribute('aria-valuetext', `${count(pace)} requests per minute`);
  picture.replaceChildren(drawStory(story, plan.perMinute, width), drawDay(story, width));
  words.textContent = `${describeMinutes(story, plan, pace)} ${describeDay(story, plan)}`;
}

/**
 * @param {Story} story
 * @param {Plan} plan
 * @param {number} pace
 */
function describeMinutes({ perSecond, bans }, plan, pace) {
  const refusedAt = perSecond.findIndex(({ limited }) => limited > 0);
  if (refusedAt === -1)
    return `${count(pace)} requests a minute are within the ${count(plan.perMinute)} of ${plan.name}.`;
  const refused = perSecond.reduce((sum, { limited, banned }) => sum + limited + banned, 0);
  const [ban] = bans;
  return [
    `The ${count(plan.perMinute)} requests of the minute are used up after ${refusedAt} s.`,
    `In four minutes ${count(refused)} requests are refused.`,
    ...(ban === undefined || ban.start >= SECONDS
      ? []
      : [`A key that continues is banned after ${ban.start} s: ${count(plan.perMinute)} refusals within a minute.`]),
  ].join(' ');
}

/**
 * @param {Story} story
 * @param {Plan} plan
 */
function describeDay({ admitted, usedUpAt, bans }, { perDay }) {
  const [ban] = bans;
  const because = 'because each further ban lasts twice as long, up to an hour';
  if (usedUpAt === undefined)
    return ban === undefined
      ? `The ${count(perDay)} requests of the day last the whole day.`
      : `At this pace only ${count(admitted)} of the ${count(perDay)} requests of the UTC day are admitted, ${because}.`;
  const lasting = `At this pace the ${count(perDay)} requests of the UTC day last ${duration(usedUpAt)}`;
  const isDelayed = ban !== undefined && ban.start < usedUpAt;
  return `${lasting}${isDelayed ? ` from its start, ${because}` : ''}. All further requests of the day are refused.`;
}

/** @param {number} requests */
function count(requests) {
  return requests.toLocaleString('en');
}

/** @param {number} seconds */
function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
