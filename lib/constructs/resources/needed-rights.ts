import type { Config } from '../../contract/config/config.ts';
import { unnamedPolicies } from '../../contract/config/policies.ts';
import type { SecretSource } from '../../contract/input/secret-source.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { type AskedGate, askedGates } from '../../gates/gates.ts';

// Functions are called by version, and their roles are those of the newest deployment. So what a role may do follows from
// the configuration, and from the earlier ones that it has retired for the rollouts that are under way.

/** Which gates of what a policy verifies are meant. */
export type AskedOf = (verify: Readonly<Record<string, unknown>>) => readonly AskedGate[];

/** The gates of all policies that hold for something. */
export function gatesIn(
  { policies, runtimes, groups, retired = [] }: Config,
  askedOf: AskedOf = askedGates,
): AskedGate[] {
  const all = [{ policies, runtimes, groups }, ...retired].flatMap(
    (one): { readonly verify?: object | undefined }[] => [
      ...Object.entries(one.policies)
        .filter(([name]) => !unnamedPolicies(one).includes(name))
        .map(([, policy]) => policy),
      ...Object.values(one.groups ?? {}).map(({ policy }) => policy),
    ],
  );
  return all.flatMap(({ verify = {} }) => askedOf({ ...verify }));
}

/** The secrets of gates, by where the configuration names them. */
export function secretsOfGates(
  gates: readonly AskedGate[],
): readonly (readonly [string, SecretSource])[] {
  return gates.flatMap(({ name, gate, said }) =>
    Object.entries(gate.needs?.(said).secrets ?? {}).map(
      ([place, source]) => [`verify.${name}${place}`, source] as const,
    ),
  );
}

/** The secrets that calls of the service need, by where the configuration names them. */
export function secretsOfService({
  service,
  tls,
  retired = [],
}: Pick<Config, 'service' | 'tls' | 'retired'>): readonly (readonly [string, SecretSource])[] {
  const auth = service.kind === 'rest' ? service.auth : undefined;
  const earlier = retired.map((one, index) => ({ ...one, at: `retired[${index}].` }));
  const named = [{ auth, tls, at: '' }, ...earlier].flatMap(
    (one): readonly (readonly [string, SecretSource | undefined])[] => [
      [
        `${one.at}auth.secret`,
        one.auth === undefined || one.auth.kind === 'none' ? undefined : one.auth.secret,
      ],
      ...(['ca', 'cert', 'key'] as const).map(
        (field) => [`${one.at}tls.${field}`, one.tls?.[field]] as const,
      ),
    ],
  );
  return named.flatMap(([field, source]) => (source === undefined ? [] : [[field, source]]));
}

/** Ids of the runtimes that functions may reach. */
export function reachedRuntimes({ runtimes, retired = [] }: Pick<Config, 'runtimes' | 'retired'>) {
  const all = [runtimes, ...retired.map((earlier) => earlier.runtimes)];
  return [...new Set(all.flatMap((each) => Object.keys(each)))];
}

/**
 * Refuses what deployed functions cannot do, before anything is written.
 *
 * @throws `InvalidInput` for gates that cannot be asked on AWS, and for secrets that functions cannot read.
 */
export function refuseOnAws(config: Config): void {
  const asked = gatesIn(config);
  const faults = [
    ...[...secretsOfService(config), ...secretsOfGates(asked)].flatMap(([field, source]) =>
      'awsSecret' in source
        ? []
        : `${field}: deployed functions read secrets from AWS Secrets Manager alone; use "awsSecret", not "${Object.keys(source)[0]}"`,
    ),
    ...asked.flatMap(({ gate, said }) => gate.needs?.(said).faultsOnAws ?? []),
  ];
  if (faults.length === 0) return;
  throw new SteprollError(ErrorName.InvalidInput, [...new Set(faults)].join('; '));
}
