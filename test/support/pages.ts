/** Reads a list from a path on, page by page, as the links between its pages say. */
export async function pagesFrom(path: string, read: (path: string) => Promise<Response>): Promise<Response[]> {
  const pages: Response[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    if (pages.length === 100) throw new Error(`The list does not end: ${next}`);
    const page = await read(next);
    pages.push(page);
    next = nextPage(page);
  }
  return pages;
}

export function nextPage({ headers }: Response): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
}

/** Identifiers of what a list has. */
export async function idsIn<Id = number>(response: Response): Promise<Id[]> {
  return ((await response.json()) as { id: Id }[]).map(({ id }) => id);
}

/** Identifiers of what all pages of a list have, from a path on. */
export async function idsFrom<Id = number>(path: string, read: (path: string) => Promise<Response>): Promise<Id[]> {
  const pages = await pagesFrom(path, read);
  return (await Promise.all(pages.map((page) => idsIn<Id>(page)))).flat();
}
