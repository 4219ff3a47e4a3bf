import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { createWorld } from '../../../lib/simulation/world.ts';
import { endpointNames } from '../../support/endpoint-names.ts';
import { RUNTIME } from '../../support/run-scenario.ts';

/** The ids of endpoints follow from their names. */
export function idOf(number: number): string {
  const endpoints = endpointNames(1, 12).map((name) => ({ name }));
  idsKnown ??= createWorld(parseScenario({ runtimes: [{ id: RUNTIME, endpoints }] }), () => 0)
    .read(RUNTIME)
    .map(({ id }) => id);
  return idsKnown[number - 1] ?? '';
}

let idsKnown: readonly string[] | undefined;
