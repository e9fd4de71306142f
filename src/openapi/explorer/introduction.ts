import { PLANS } from '../../accounts/index.js';
import { CUSTOM, formatCount, planTitle } from '../document/outline.js';

/** What a reader needs first. It is part of the HTML, so it appears before Swagger UI is loaded, and stays. */
export function introduction(base: string): string {
  const plans = Object.entries(PLANS).map(([name, { perMinute, perDay } = CUSTOM]) => {
    const day = perDay === undefined ? '' : ` a minute, ${formatCount(perDay)} a day`;
    return `<li><strong>${planTitle(name)}</strong> <span>${formatCount(perMinute)}${day}</span></li>`;
  });
  return `
      <h1>Pet Store Service</h1>
      <p>A pet store catalogue: pets, their categories, orders for them, your usage and your API keys.</p>
      <p><strong>Authentication.</strong> Every request needs an API key: <code>Authorization: Bearer &lt;API_KEY&gt;</code></p>
      <p><strong>Limits.</strong> All keys of an account share the requests of its <a href="${base}plans">plan</a>:</p>
      <ul class="plan-limits">${plans.join('')}</ul>`.trim();
}
