import { listReadings } from '../../domain/rollout/gates.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { askGates, tryGate } from '../../gates/ask-gates.ts';
import type { Tried } from '../../gates/gate.ts';
import { type AskedGate, askedGates } from '../../gates/gates.ts';
import { endpointsInScope, type ListsRead, NO_LIST } from './lists.ts';
import type { ConfigCheck, OpenedConfig } from './tried.ts';

/** Tries the gates of a runtime or a group, without limits. @param read Its list. `undefined`: there is none. */
export async function gateChecks(
  of: string,
  read: ListsRead | undefined,
  policy: RolloutPolicy,
  tried: Pick<OpenedConfig, 'gates' | 'now'>,
): Promise<ConfigCheck[]> {
  const checks: ConfigCheck[] = [];
  for (const asked of askedGates(policy.verify)) {
    checks.push(...(await gateCheck(asked, of, read, policy, tried)));
  }
  return checks;
}

async function gateCheck(
  asked: AskedGate,
  of: string,
  read: ListsRead | undefined,
  policy: RolloutPolicy,
  { gates, now }: Pick<OpenedConfig, 'gates' | 'now'>,
): Promise<ConfigCheck[]> {
  const { name: check, gate, said } = asked;
  const about = { check, of };
  const endpoints = read === undefined || 'error' in read ? null : read.endpoints;
  if (endpoints === null && gate.of !== 'itself') {
    return [{ ...about, result: 'untried', message: NO_LIST }];
  }
  const inScope = endpointsInScope(endpoints ?? [], policy);
  const list = {
    planned: inScope.map(({ id }) => ({ endpointId: id })),
    endpoints: endpoints ?? [],
    statuses: policy.statuses,
  };
  const subject = {
    runtimeId: of,
    desiredVersion: Math.max(1, ...inScope.map(({ liveVersion }) => liveVersion ?? 1)),
    now,
  };
  const names = inScope.map(({ name, id }) => name ?? id);
  const found = [
    gate.readList?.(said, list),
    await tryGate(asked, { when: 'trial', ...subject, endpoints: names }, gates),
  ];
  const checks = found.flatMap((one) => (one === undefined ? [] : checksOf(one, about)));
  const answers = await askGates({ [check]: said }, { when: 'start', ...subject }, gates);
  const red = answers.filter(({ verdict }) => verdict === 'fail');
  if (red.length === 0) return checks;
  const follows = IF_RED[policy.verify.redAtStart ?? 'refuse'];
  // As outside of a window, nothing is wrong with the configuration.
  return [
    ...checks,
    { ...about, result: 'ok', message: `Red now: ${listReadings(red)}. ${follows}` },
  ];
}

const IF_RED = {
  refuse: 'A rollout does not begin until it is green.',
  ignore: 'A rollout begins nevertheless, as verify.redAtStart says.',
};

function checksOf(
  { faults, silent, found }: Tried,
  about: Pick<ConfigCheck, 'check' | 'of'>,
): ConfigCheck[] {
  return [
    ...faults.map((message): ConfigCheck => ({ ...about, result: 'fault', message })),
    ...(silent === undefined
      ? []
      : [{ ...about, result: 'unknown', message: `${silent}.` } as const]),
    ...(found === undefined ? [] : [{ ...about, result: 'ok', message: `${found}.` } as const]),
  ];
}
