import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const HOME = join(import.meta.dirname, '../..');
const BUILT = join(HOME, 'dist/');
const REPORT = join(HOME, 'docs/public-api.md');

const HEAD = `# Public API

The exports of the package with their declarations. [Extending](extending.md) explains how to use them. \`npm run public-api\` writes this page from the build, and a test compares them, so that reviews show each change of the public API.`;

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string } | string>>;
}

/** What a module of the package exports. */
interface Entry {
  /** As it is imported. */
  readonly path: string;
  readonly symbols: readonly ts.Symbol[];
}

/** The public surface, read from the declarations that were built. */
export class PublicApi {
  private readonly checker: ts.TypeChecker;
  private readonly entries: readonly Entry[];

  constructor() {
    const { exports } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as Manifest;
    const files = Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string' ? [] : [{ path: join('petstore-service', path), file: join(HOME, target.types) }],
    );
    const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024, skipLibCheck: true };
    const program = ts.createProgram(
      files.map(({ file }) => file),
      options,
    );
    this.checker = program.getTypeChecker();
    this.entries = files.map(({ path, file }) => ({ path, symbols: this.exportsOf(program.getSourceFile(file)) }));
  }

  async report(): Promise<string> {
    const sections = this.entries.map(({ path, symbols }) => {
      const declarations = symbols.flatMap((symbol) => this.declarationsOf(symbol).map((one) => this.printed(one)));
      return `## ${path}\n\n\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\``;
    });
    return format([HEAD, ...sections].join('\n\n'), { ...(await resolveConfig(REPORT)), filepath: REPORT });
  }

  /**
   * Types of ours that exported declarations name, and that nobody can import. Nest calls constructors, and protected members
   * are for classes of ours.
   */
  unexportedTypes(): string[] {
    const exported = new Set(this.entries.flatMap(({ symbols }) => symbols.map((symbol) => this.targetOf(symbol))));
    const missing = new Set<string>();
    const visit = (node: ts.Node): void => {
      if (isPrivate(node) || hasModifier(node, ts.SyntaxKind.ProtectedKeyword) || ts.isConstructorDeclaration(node))
        return;
      const name = namedType(node);
      const symbol = name && this.checker.getSymbolAtLocation(name);
      const target = symbol && this.targetOf(symbol);
      if (target !== undefined && !exported.has(target) && isOurs(target)) missing.add(target.name);
      ts.forEachChild(node, visit);
    };
    for (const symbol of exported) for (const declaration of symbol.declarations ?? []) visit(declaration);
    return [...missing].toSorted();
  }

  private exportsOf(file: ts.SourceFile | undefined): ts.Symbol[] {
    const module = file && this.checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error('Nothing is built: run npm run build.');
    return this.checker.getExportsOfModule(module).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  private declarationsOf(symbol: ts.Symbol): readonly ts.Declaration[] {
    const target = this.targetOf(symbol);
    // What comes from another package is that package's to declare.
    return (isOurs(target) ? target.declarations : symbol.declarations) ?? [];
  }

  private printed(declaration: ts.Declaration): string {
    const file = declaration.getSourceFile();
    const print = (node: ts.Node) => printer.printNode(ts.EmitHint.Unspecified, node, file);
    if (ts.isExportSpecifier(declaration)) return print(declaration.parent.parent);
    const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const [visible] = ts.transform<ts.Node>(statement, [(context) => this.visibleParts(context)]).transformed;
    return print(visible ?? statement);
  }

  /** Leaves private members out, and writes the values out of which types are made. */
  private visibleParts(context: ts.TransformationContext) {
    const { NoTruncation, InTypeAlias } = ts.NodeBuilderFlags;
    const visit = (node: ts.Node): ts.Node | undefined => {
      if (isPrivate(node)) return undefined;
      if (!isOfValue(node)) return ts.visitEachChild(node, visit, context);
      const type = this.checker.getTypeFromTypeNode(node);
      return this.checker.typeToTypeNode(type, undefined, NoTruncation | InTypeAlias) ?? node;
    };
    return (statement: ts.Node): ts.Node => ts.visitEachChild(statement, visit, context);
  }

  private targetOf(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

export function committedReport(): string {
  return readFileSync(REPORT, 'utf8');
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.every(
    (declaration) =>
      !ts.isTypeParameterDeclaration(declaration) && declaration.getSourceFile().fileName.startsWith(BUILT),
  );
}

function hasModifier(node: ts.Node, modifier: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === modifier);
}

function isPrivate(node: ts.Node): boolean {
  return hasModifier(node, ts.SyntaxKind.PrivateKeyword);
}

/** The name in a reference to a type, such as `Env` in `env: Env`. */
function namedType(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return undefined;
}

const printer = ts.createPrinter({ removeComments: true });

/** Whether a type is made of the type of a value, as in `keyof typeof ERROR_CODES`. */
function isOfValue(node: ts.Node): node is ts.TypeNode {
  if (ts.isTypeOperatorNode(node)) return isOfValue(node.type);
  if (ts.isParenthesizedTypeNode(node)) return isOfValue(node.type);
  return ts.isIndexedAccessTypeNode(node) ? isOfValue(node.objectType) : ts.isTypeQueryNode(node);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(REPORT, await new PublicApi().report());
