/** A Markdown table. All columns are right-aligned, except a first column without a name. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((name, index) => (index === 0 && name === '' ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function figure(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(2);
}

export function times(value: number): string {
  return Number.isNaN(value) ? '–' : `${value.toFixed(2)} x`;
}

export function whole(value: number): string {
  return Number.isNaN(value) ? '–' : value.toLocaleString('en', { maximumFractionDigits: 0 });
}
