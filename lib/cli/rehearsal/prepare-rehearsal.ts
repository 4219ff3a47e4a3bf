import * as z from 'zod';
import { fileExists, readJsonFile } from '../../adapters/machine/files.ts';
import { openConfigSchema } from '../../contract/config/config.ts';
import type { Policies } from '../../contract/config/policies.ts';
import { parseInput } from '../../contract/input/parse-input.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { likelyRollSeconds } from '../../domain/planning/estimate.ts';
import { unknownVersion } from '../../domain/planning/find-version.ts';
import { resolveVersion } from '../../domain/planning/version.ts';
import { PRESET_NAMES } from '../../domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { nextTimeWhen, rulesOfStart } from '../../domain/turn/window.ts';
import { FAULT_LEVELS } from '../../rehearsal/draw-faults.ts';
import { scenarioOfFleet } from '../../rehearsal/fleet.ts';
import type { Rehearsal } from '../../rehearsal/rehearse.ts';
import type { Scenario } from '../../simulation/scenario.ts';
import { createWorld } from '../../simulation/world.ts';
import { readStableList } from '../../steps/opening/list.ts';
import { readPastRolls } from '../../steps/opening/past-rolls.ts';
import { lookUpVersion } from '../../steps/opening/version.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { readScenario } from '../local/read-scenario.ts';
import { wholeNumber } from '../options/fields.ts';
import { globalShape, ledgerShape } from '../options/global-shape.ts';
import { policyOf } from '../options/policy-shape.ts';
import { checkVersion, wantedShape } from '../options/rollout-options.ts';
import { lookBack } from '../rollout/preview.ts';
import { prepare } from '../settings/prepare.ts';
import { withService } from '../settings/service.ts';
import type { HowToPrint } from '../terminal/print-result.ts';

const MOST_REHEARSALS = 1_000_000;
/** The seeds of all rehearsals from this one on are whole numbers that differ. */
const LAST_SEED = Number.MAX_SAFE_INTEGER - MOST_REHEARSALS;

const shape = {
  ...wantedShape,
  '--runs': wholeNumber.pipe(z.int().max(MOST_REHEARSALS)).optional(),
  '--seed': wholeNumber.pipe(z.int().max(LAST_SEED)).optional(),
  '--faults': z.enum(FAULT_LEVELS).optional(),
  '--against': z.string().min(1).optional(),
};
/** On the fleet that the service lists. */
const listedSchema = z.strictObject({ ...globalShape, ...shape }).check(checkVersion);
/** On the fleet of a scenario: no service is called. */
const scenarioSchema = z
  .strictObject({ ...ledgerShape, ...shape, '--scenario': z.string().min(1) })
  .check(checkVersion);

export type RehearsalOptions = HowToPrint & z.output<z.ZodObject<typeof shape>>;

/** What the options ask to rehearse. It is drawn from the list of the service, which is read only then. */
export async function prepareRehearsal(invocation: Invocation) {
  const { options, config, fleet } = await prepareFleet(invocation);
  const policy = asRehearsed(policyOf(options, config, options['runtime-id']));
  const draw = async () => rehearsalOf(await fleet(policy), policy, options);
  return { options, config, draw };
}

interface Fleet {
  readonly endpointUrl: string;
  readonly scenario: Scenario;
  readonly endpoints: readonly Endpoint[];
  /** The version to roll to. `null`: it is taken from one of the endpoints. */
  readonly version: number | null;
}

async function prepareFleet(invocation: Invocation) {
  if (invocation.given['--scenario'] !== undefined) {
    const { options, config } = await prepare(scenarioSchema, invocation);
    return { options, config, fleet: () => fleetOfScenario(options['--scenario'], options) };
  }
  const prepared = await prepare(listedSchema, invocation);
  const { options, config } = prepared;
  const runtimeId = options['runtime-id'];
  const fleet = async ({ statuses }: RolloutPolicy): Promise<Fleet> => {
    const { version, endpoints, abilities } = await withService(prepared, async (service) => ({
      version: await lookUp(options, service),
      endpoints: await readStableList(service, runtimeId),
      abilities: service.abilities,
    }));
    const past = await lookBack(options, ({ ledger }) => readPastRolls(runtimeId, ledger));
    const learned = likelyRollSeconds(past);
    if (learned === null) process.stderr.write(`${UNLEARNED}\n`);
    const rollSeconds = learned ?? REHEARSED_ROLL_SECONDS;
    const how = { runtimeId, rollSeconds, statuses, abilities };
    const scenario = scenarioOfFleet(endpoints, how);
    return { endpointUrl: options['--endpoint-url'], scenario, endpoints, version };
  };
  return { options, config, fleet };
}

/** A rehearsal needs some number. That of a real service is learned from the first rollout on. */
const REHEARSED_ROLL_SECONDS = 60;
const UNLEARNED = `Nobody knows how long a roll takes here: there is no past rollout to learn from. The rehearsal takes ${REHEARSED_ROLL_SECONDS} s for it.`;

/** The address of `steproll serve`. */
const SERVED_AT = 'http://127.0.0.1:8080';

async function fleetOfScenario(file: string, options: RehearsalOptions): Promise<Fleet> {
  const runtimeId = options['runtime-id'];
  const scenario = readScenario(file);
  const ids = scenario.runtimes.map(({ id }) => id);
  if (!ids.includes(runtimeId)) {
    const message = `runtime-id: ${JSON.stringify(runtimeId)} is not in ${file}; use one of ${ids.map((id) => JSON.stringify(id)).join(', ')}`;
    throw new SteprollError(ErrorName.InvalidInput, message);
  }
  const world = createWorld(scenario, () => 0);
  const version = await lookUp(options, {
    abilities: world.abilities,
    listVersions: async () => world.versions(runtimeId),
  });
  return { endpointUrl: SERVED_AT, scenario, endpoints: world.read(runtimeId), version };
}

/** The version that is asked for, even if it is still being made. */
async function lookUp(
  { 'runtime-id': runtimeId, '--version': asked }: RehearsalOptions,
  service: Parameters<typeof lookUpVersion>[2],
): Promise<number | null> {
  if (asked === undefined) return null;
  const { found } = await lookUpVersion(runtimeId, asked, service);
  if (found.state === 'none') throw unknownVersion(found);
  return found.version;
}

/** When a rollout may start is another question than how it goes. Windows that bind rolls are part of that. */
function asRehearsed(policy: RolloutPolicy): RolloutPolicy {
  const { windows, windowsBind } = policy;
  return { ...policy, windows: windowsBind === 'rolls' ? windows : [], freezes: [] };
}

/** @throws `InvalidInput` for a name that is neither a preset nor a file. */
export function policyAgainst(
  named: string,
  options: RehearsalOptions,
  config: Policies,
): RolloutPolicy {
  const runtimeId = options['runtime-id'];
  const preset = PRESET_NAMES.find((name) => name === named);
  if (preset !== undefined) {
    // The waves that were asked for would hide those of the preset.
    const { '--waves': _, '--max-unavailable': __, ...rest } = options;
    return asRehearsed(policyOf({ ...rest, '--preset': preset }, config, runtimeId));
  }
  try {
    if (!fileExists(named)) {
      const allowed = `a configuration file, or a preset: ${PRESET_NAMES.join(', ')}`;
      throw new Error(`${JSON.stringify(named)} is not allowed; use ${allowed}`);
    }
    const { value, mistakes } = readJsonFile(named);
    const other = parseInput(openConfigSchema, value, named, mistakes);
    return asRehearsed(policyOf(options, other, runtimeId));
  } catch (cause) {
    throw new SteprollError(ErrorName.InvalidInput, `--against: ${errorMessageOf(cause)}`, {
      cause,
    });
  }
}

/** Every rehearsal begins at the same time, or when the first window opens, so that it is always the same. */
const STARTS_AT = Date.UTC(2026, 0, 1);

function rehearsalOf(
  { endpointUrl, scenario, endpoints, version: found }: Fleet,
  policy: RolloutPolicy,
  options: RehearsalOptions,
): Rehearsal {
  const version =
    found ?? resolveVersion(endpoints, options['--version-from'] ?? '', policy.statuses);
  // The version has been found by now, so nothing more is listed.
  refuseBeyondAbilities(version, policy, { ...scenario.abilities, listsVersions: true });
  return {
    scenario,
    runtimeId: options['runtime-id'],
    version,
    policy,
    endpointUrl,
    startsAt: nextTimeWhen(true, rulesOfStart(policy), STARTS_AT) ?? STARTS_AT,
  };
}
