import { readEnvironment } from '../../adapters/machine/environment.ts';
import { serviceOnAws } from '../../contract/service/services.ts';
import { engineOf, openAwsEngine } from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { serviceKindOf } from '../settings/settings.ts';

/**
 * The same invocation, with the service of the stack where nobody has said which one it is. A command that has mistakes
 * asks nobody.
 *
 * @throws `StackNotFound`, `AwsUnavailable`.
 */
export async function withServiceOfStack(invocation: Invocation): Promise<Invocation> {
  const engine = engineOf(invocation);
  if (engine['--engine'] !== 'aws' || invocation.mistakes.length > 0) return invocation;
  const { settings } = await loadSettings(invocation.given, readEnvironment());
  if (settings.has('--endpoint-url') || serviceKindOf(settings) === 'agentcore') return invocation;
  const { endpointUrl } = await openAwsEngine(engine);
  // The SDK signs what goes to AWS: no token for another service may be sent there.
  const onAws = serviceOnAws(endpointUrl);
  const service =
    onAws === null
      ? { '--endpoint-url': endpointUrl }
      : { '--service': onAws.word, '--region': onAws.region };
  return { ...invocation, given: { ...service, ...invocation.given } };
}
