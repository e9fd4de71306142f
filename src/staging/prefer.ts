/** The preference `code` in Prefer (RFC 7240, section 2): a token or a quoted string, of several the first. */
const CODE = /(?:^|,)[ \t]*code[ \t]*=[ \t]*(?:"(\w+)"|(\w+))[ \t]*(?=[;,]|$)/i;

/** The error that a client asks for: a status or a code of an Error. */
export function preferredCode(header: string | readonly string[] | undefined): string | undefined {
  const [, quoted, token] = CODE.exec([header ?? ''].flat().join(',')) ?? [];
  return quoted ?? token;
}
