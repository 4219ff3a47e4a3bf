import type { Given } from '../invocation.ts';
import type { Settings } from './settings.ts';

/**
 * Options that somebody typed and that the engine would not look at, a line each: whoever typed them means
 * something by them. A variable or a profile may say more than one command needs.
 *
 * @param callsService Whether the command talks to the service itself.
 */
export function unusedOptions(given: Given, settings: Settings, callsService: boolean): string[] {
  const engine = settings.get('--engine')?.value ?? 'embedded';
  return Object.entries(adviceFor(engine, callsService))
    .filter(([option]) => given[option] !== undefined)
    .map(([option, what]) => {
      const value = JSON.stringify(given[option]);
      return `${option}: ${value} would be ignored with the engine ${engine}; ${what}`;
    });
}

type Advice = Readonly<Record<string, string>>;

function adviceFor(engine: unknown, callsService: boolean): Advice {
  if (engine === 'embedded') return EMBEDDED;
  return engine === 'aws' && !callsService ? ON_AWS : {};
}

const ON_AWS: Advice = {
  '--endpoint-url': 'leave it out, the stack knows its service',
  '--config': 'leave it out, the stack has the configuration that it was deployed with',
  '--region': 'leave it out, AWS_REGION says where the stack is',
};

const EMBEDDED: Advice = { '--stack': 'leave it out, or add --engine aws' };
