export declare const EVERYTHING: readonly string[];
export declare function areInstalled(tests: string, programs: readonly ('postgres' | 'redis-server')[]): boolean;
