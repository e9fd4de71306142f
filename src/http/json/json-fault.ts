import { printParseErrorCode, visit } from 'jsonc-parser';

/** Where a text is not JSON, and the likely cause; empty if unknown. JSON.parse quotes the text, which may have a secret. */
export function jsonFault(text: string): string {
  let fault = '';
  const onError = (code: number, offset: number, _length: number, line: number, column: number): void => {
    const name = printParseErrorCode(code).replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const isAfterComma = /^[}\]]/.test(text.slice(offset)) && text.slice(0, offset).trimEnd().endsWith(',');
    const cause = name === 'Invalid symbol' ? 'names and strings need double quotes' : name.toLowerCase();
    const advice = isAfterComma ? 'remove the comma before it' : cause;
    fault ||= ` at line ${line + 1}, column ${column + 1}: ${offset === text.length ? 'the end is missing' : advice}`;
  };
  visit(text, { onError }, { disallowComments: true });
  return fault;
}
