import type { Engine } from '../../cli/engine/engine.ts';
import type { Given } from '../../cli/invocation/invocation.ts';
import type { DriftStory } from '../desk.ts';

/**
 * Where the endpoints of a runtime are beside where rollouts have brought them, as `steproll drift` says it: the service
 * is only asked for its list.
 *
 * @param given The options of the console, which say where the service is and how it is called.
 * @param where The arguments with which a command finds the engine.
 */
export async function lookForDrift(
  runtimeId: string,
  given: Given,
  engine: Engine,
  where: string,
): Promise<DriftStory> {
  // What calls the service is loaded here, because a console may show a ledger alone.
  const { lookAt, prepareDrift, tellFound } = await import('../../cli/drift.ts');
  const { withService } = await import('../../cli/settings/service.ts');
  const asked = { ...given, '--interactive': false, 'runtime-id': runtimeId };
  const prepared = await prepareDrift({ given: asked, mistakes: [] });
  const found = await withService(prepared, (service) => lookAt(runtimeId, engine, service));
  return tellFound(found, where);
}
