/** The part of Swagger UI's plugin interface that the explorer uses; its package has no types of its own. */

type ReactNode = unknown;
type Component<Props> = (props: Props) => ReactNode;

interface React {
  createElement<Props>(type: string | Component<Props>, props: Props | null, ...children: ReactNode[]): ReactNode;
  readonly Fragment: Component<object>;
  useState<State>(initial: State): [State, (next: State) => void];
  useEffect(effect: () => undefined | void | (() => void), dependencies?: readonly unknown[]): void;
  useId(): string;
  useRef<Value>(initial: Value | null): { current: Value | null };
}

/** A Map or List of Immutable.js. */
interface Immutable {
  readonly size: number;
  get(key: string): unknown;
  set(key: string, value: unknown): Immutable;
  map(change: (value: Immutable, key: string) => unknown): Immutable;
  filter(isKept: (value: Immutable, key: string) => boolean): Immutable;
  toJS(): unknown;
}

interface System {
  readonly React: React;
  getComponent(name: string, isContainer?: boolean): Component<object>;
  readonly authActions: {
    showDefinitions(definitions: unknown): void;
    authorizeWithPersistOption(given: object): void;
    logoutWithPersistOption(names: readonly string[]): void;
    restoreAuthorization(given: { readonly authorized: object }): void;
  };
  readonly authSelectors: { authorized(): Immutable };
  readonly layoutActions: {
    updateFilter(phrase: string): void;
    show(thing: readonly string[], isShown: boolean): void;
  };
  readonly layoutSelectors: {
    currentFilter(): string | boolean | undefined;
    isShown(thing: readonly string[], byDefault: boolean): boolean;
  };
  readonly specActions: {
    clearResponse(path: string, method: string): void;
    changeParamByIdentity(
      operation: readonly [path: string, method: string],
      parameter: Immutable,
      value: unknown,
    ): void;
    execute(request: { path: string; method: string; operation: Immutable }): void;
  };
  readonly specSelectors: {
    taggedOperations(): Immutable;
    requestFor(path: string, method: string): Immutable;
    responseFor(path: string, method: string): Immutable | null;
    /** Values by place and name, such as `query.limit`. */
    parameterValues(operation: readonly [path: string, method: string]): { toJS(): Record<string, unknown> };
    specResolvedSubtree(path: readonly string[]): Immutable | undefined;
    url(): string;
  };
  readonly oas3Selectors: {
    /** Empty before the menu of servers is drawn. */
    selectedServer(): string;
    requestContentType(path: string, method: string): string | null;
    responseContentType(path: string, method: string): string | null;
    requestBodyValue(path: string, method: string): unknown;
  };
  readonly fn: {
    buildRequest(call: object): { url: string; method: string; headers: Record<string, string>; body?: unknown };
  };
}

interface UiPlugin {
  /** Called once all plugins are there. */
  readonly afterLoad?: () => void;
  readonly components?: Readonly<Record<string, unknown>>;
  readonly wrapComponents?: Readonly<Record<string, unknown>>;
  readonly statePlugins?: Readonly<Record<string, unknown>>;
  readonly fn?: Readonly<Record<string, unknown>>;
}

type Server = { readonly url: string; readonly description?: string };

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
    readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
    readonly license?: { readonly name: string; readonly url?: string };
  };
  readonly externalDocs?: { readonly url: string; readonly description?: string };
  readonly servers?: readonly Server[];
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, DocumentedResponse>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

/** An operation as Swagger UI lists it below its tag. */
type ListedOperation = { readonly method: string; readonly path: string; readonly operation: DocumentedOperation };

type Reference = { readonly $ref: string };

type Parameter = { readonly name: string; readonly description?: string; readonly schema?: object };

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, { readonly example?: { code: string }; readonly examples?: object }>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly responses?: Readonly<Record<string, DocumentedResponse | Reference>>;
  /** The scopes of each security scheme that it accepts. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly 'x-stability'?: 'stable' | 'beta' | 'experimental';
  /** `YYYY-MM-DD` */
  readonly 'x-sunset'?: string;
}

type TaggedOperations = { readonly operations: readonly ListedOperation[] };

declare const SwaggerUIBundle: {
  (options: Readonly<Record<string, unknown>>): System;
  readonly presets: { readonly apis: unknown };
};
