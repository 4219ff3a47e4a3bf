export const OUTPUTS = ['table', 'json', 'id'] as const;
export type Output = (typeof OUTPUTS)[number];

/** Where rollouts run: in this process or a listener of this machine, or on AWS. */
export const ENGINES = ['embedded', 'aws'] as const;

export const DEFAULT_STACK = 'Steproll';

/** The options of every command that calls a service, and their names in the files that may set them. */
export const GLOBAL_OPTIONS = [
  { option: '--endpoint-url', profileKey: 'endpoint_url', configKeys: ['endpointUrl'] },
  { option: '--service', profileKey: 'service', configKeys: ['service.kind'] },
  { option: '--profile' },
  { option: '--region', profileKey: 'region', configKeys: ['region', 'service.region'] },
  { option: '--engine', profileKey: 'engine' },
  { option: '--stack', profileKey: 'stack' },
  { option: '--config', profileKey: 'config' },
  { option: '--output', profileKey: 'output' },
  { option: '--query' },
  { option: '--interactive' },
  { option: '--debug' },
  { option: '--debug-answers' },
] as const satisfies readonly GlobalOption[];

export interface GlobalOption {
  readonly option: string;
  readonly profileKey?: string;
  /** Ways to the value, of which a configuration has at most one. */
  readonly configKeys?: readonly string[];
}

/** The environment variable that sets an option: `STEPROLL_ENDPOINT_URL`. */
export function variableOf(option: string): string {
  return `STEPROLL_${option.slice(2).replaceAll('-', '_').toUpperCase()}`;
}
