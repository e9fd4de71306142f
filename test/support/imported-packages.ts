/** The packages of npm that a text in TypeScript or JavaScript imports. */
export function importedPackages(text: string): string[] {
  const imports = text.matchAll(/^(?:import |.* from )'(?!node:)((?:@[\w-]+\/)?\w[\w.-]*)/gm);
  return [...new Set(Array.from(imports, ([, name = '']) => name))];
}
