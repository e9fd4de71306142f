/** Supported content codings, best first; `identity` means uncompressed. */
const PREFERRED = ['br', 'gzip'] as const;

export type ContentCoding = (typeof PREFERRED)[number] | 'identity';

/** The best coding that an Accept-Encoding field allows (RFC 9110, section 12.5.3). */
export function negotiateCoding(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', weight = 'q=1'] = item.split(';').map((part) => part.trim());
    weights.set(coding, Number(weight.replace(/^q=/, '')));
  }
  const anyWeight = weights.get('*') ?? 0;
  return PREFERRED.find((coding) => (weights.get(coding) ?? anyWeight) > 0) ?? 'identity';
}
