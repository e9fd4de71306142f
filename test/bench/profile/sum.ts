import { ENGINE, LAYERS } from './layers.js';

/** The output of `node --cpu-prof` (Profiler.Profile of the Chrome DevTools protocol). Times are in microseconds. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

export interface Share {
  readonly name: string;
  /** Share of all non-idle time. */
  readonly share: number;
}

/** Sums the self time between two moments, by layer and by function. */
export function sumProfile(profile: Profile, from: number, to: number): { layers: Share[]; functions: Share[] } {
  const layerOf = layersOf(profile.nodes);
  const functionOf = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const layers = new Map<string, number>();
  const functions = new Map<string, number>();
  let time = profile.startTime;
  profile.samples.forEach((id, index) => {
    const spent = profile.timeDeltas[index] ?? 0;
    time += spent;
    const layer = layerOf.get(id);
    if (time < from || time > to || layer === undefined) return;
    layers.set(layer, (layers.get(layer) ?? 0) + spent);
    const name = `${functionOf.get(id)} [${layer}]`;
    functions.set(name, (functions.get(name) ?? 0) + spent);
  });
  return { layers: shares(layers), functions: shares(functions) };
}

/** Native functions have no file and count towards the layer of their caller. Idle time has no layer. */
function layersOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = new Map<number, string>();
  const visit = (node: ProfileNode, callersLayer: string) => {
    const { functionName, url } = node.callFrame;
    const own = url === '' ? ENGINE[functionName] : LAYERS.find(([, pattern]) => pattern.test(url))?.[0];
    const layer = own ?? callersLayer;
    if (functionName !== '(idle)') layers.set(node.id, layer);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visit(child, layer);
    }
  };
  const [root] = nodes;
  if (root !== undefined) visit(root, 'rest of Node');
  return layers;
}

function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const file = url.replace(/^.*\/node_modules\/|^.*?\/dist\//, '');
  return `${functionName === '' ? '(anonymous)' : functionName}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`;
}

function shares(times: ReadonlyMap<string, number>): Share[] {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times].map(([name, time]) => ({ name, share: time / total })).toSorted((a, b) => b.share - a.share);
}
