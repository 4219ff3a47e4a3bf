import type { Given } from '../invocation/invocation.ts';
import { type Settings, serviceKindOf } from './settings.ts';

/**
 * Options that somebody typed and that the engine would ignore, one per line. The person who typed them expects an
 * effect. A variable or a profile may set more than one command needs.
 *
 * @param callsService Whether the command itself calls the service.
 */
export function unusedOptions(given: Given, settings: Settings, callsService: boolean): string[] {
  const engine = settings.get('--engine')?.value ?? 'embedded';
  const kind = serviceKindOf(settings);
  return [
    ...ignored(given, `the engine ${engine}`, adviceFor(engine, callsService)),
    ...(callsService && kind === 'agentcore'
      ? ignored(given, `the service ${kind}`, WITH_AGENTCORE)
      : []),
  ];
}

function ignored(given: Given, by: string, advice: Advice): string[] {
  return Object.entries(advice)
    .filter(([option]) => given[option] !== undefined)
    .map(([option, what]) => {
      return `${option}: ${JSON.stringify(given[option])} would be ignored with ${by}; ${what}`;
    });
}

type Advice = Readonly<Record<string, string>>;

function adviceFor(engine: unknown, callsService: boolean): Advice {
  if (engine === 'embedded') return EMBEDDED;
  return engine === 'aws' && !callsService ? ON_AWS : {};
}

const ON_AWS: Advice = {
  '--endpoint-url': 'leave it out, the stack knows its service',
  '--service': 'leave it out, the stack knows its service',
  '--config': 'leave it out, the stack has the configuration that it was deployed with',
  '--region': 'leave it out, AWS_REGION says where the stack is',
};

const WITH_AGENTCORE: Advice = {
  '--endpoint-url':
    'leave it out, --region says where the service is, and AWS_ENDPOINT_URL names another URL of it; or add --service rest',
};

const EMBEDDED: Advice = { '--stack': 'leave it out, or add --engine aws' };
