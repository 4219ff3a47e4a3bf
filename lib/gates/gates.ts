import type * as z from 'zod';
import { alarms } from './alarms.ts';
import { checks } from './checks.ts';
import { type Gate, IN_BAKE, type RehearsedFleet, type When } from './gate.ts';
import { metrics } from './metrics.ts';
import { probe } from './probe.ts';
import { prometheus } from './prometheus.ts';

/** Every gate, by its field in `verify`. */
export const GATES = { probe, alarms, metrics, prometheus, checks } as const;

type Listed = typeof GATES;
type GateName = keyof Listed;

/** What all gates together ask through. */
export type GatePorts = Together<Parameters<Listed[GateName]['ask']>[2]>;

/** A & B, of A | B. */
type Together<Each> = (Each extends unknown ? (one: Each) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

type Schemas = { readonly [Name in GateName]: Listed[Name]['schema'] };
type LoneName = {
  [Name in GateName]: Listed[Name]['of'] extends 'itself' ? Name : never;
}[GateName];

/** The fields of all gates in `verify`. */
export const GATE_SCHEMAS = schemasOf(() => true) as Schemas;

/** The fields of the gates that a group may have, whose endpoints are runtimes. */
export const GROUP_GATE_SCHEMAS = schemasOf(({ of }) => of === 'itself') as Pick<Schemas, LoneName>;

function schemasOf(
  isMeant: (gate: Listed[GateName]) => boolean,
): Readonly<Record<string, z.ZodType>> {
  const meant = Object.entries(GATES).filter(([, gate]) => isMeant(gate));
  return Object.fromEntries(meant.map(([name, { schema }]) => [name, schema]));
}

/** The kinds of all gates, as records and answers name them. */
export const GATE_KINDS = Object.values(GATES).map(({ kind }) => kind);

/** The kinds of the gates that are asked of each endpoint. */
export const KINDS_OF_ENDPOINTS: ReadonlySet<string> = new Set(
  Object.values(GATES).flatMap(({ of, kind }) => (of === 'endpoint' ? [kind] : [])),
);

/** The ports of all gates in a rehearsal. */
export function rehearseGates(fleet: RehearsedFleet): GatePorts {
  const ports = Object.values(GATES).map((gate) => gate.rehearse?.(fleet));
  return Object.assign({}, ...ports);
}

export type AnyGate = Gate<z.ZodType, GatePorts>;

export interface AskedGate {
  /** Its field in `verify`. */
  readonly name: string;
  readonly gate: AnyGate;
  /** What the policy says in this field. */
  readonly said: NonNullable<unknown>;
}

const ALL: Readonly<Record<string, AnyGate>> = GATES;

/** Whether a gate that is asked in a bake has to know the endpoints that it asks about, as a list shows them. */
export function needEndpoints(verify: Readonly<Record<string, unknown>>): boolean {
  return askedAt(verify, IN_BAKE).some(({ gate }) => gate.of !== 'itself');
}

/** The gates that are asked at these times, with the parts of them that are. */
export function askedAt(
  verify: Readonly<Record<string, unknown>>,
  times: readonly When[],
): AskedGate[] {
  return askedGates(verify).flatMap((one) => partAt(one, times));
}

/** The same of one gate: none, or one part. What only watches keeps nothing from beginning. */
export function partAt(asked: AskedGate, times: readonly When[]): AskedGate[] {
  return partWhere(asked, (one) =>
    asked.gate
      .answers(one)
      .some((when) => times.includes(when) && (when !== 'start' || isEnforcing(one))),
  );
}

/** The parts that have to be asked. @param isEnforced Whether those that decide, or those that only watch. */
export function partsOf(
  verify: Readonly<Record<string, unknown>>,
  isEnforced: boolean,
): AskedGate[] {
  return askedGates(verify).flatMap((asked) =>
    partWhere(asked, (one) => isEnforcing(one) === isEnforced),
  );
}

function isEnforcing({ enforce = true }: { readonly enforce?: boolean }): boolean {
  return enforce;
}

/** What of a gate is so: of a list, each by itself. */
function partWhere(asked: AskedGate, isMeant: (one: object) => boolean): AskedGate[] {
  const { said } = asked;
  if (!Array.isArray(said)) return isMeant(said) ? [asked] : [];
  const part = said.filter(isMeant);
  return part.length === 0 ? [] : [{ ...asked, said: part }];
}

export function askedGates(verify: Readonly<Record<string, unknown>> = {}): AskedGate[] {
  return Object.entries(ALL).flatMap(([name, gate]) => {
    const said = verify[name] ?? [];
    return Array.isArray(said) && said.length === 0 ? [] : [{ name, gate, said }];
  });
}
