import * as z from 'zod';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import type { TriggerRules } from '../domain/trigger/decide-trigger.ts';
import { parseInput } from './parse-input.ts';
import { type ReleaseMapping, releaseMappingSchema } from './release-source.ts';

/** What the start function knows: never a policy, nor where the service is. */
export interface StartSettings {
  readonly stateMachineArn: string;
  /** Of the ledger. */
  readonly tableName: string;
  readonly rules: TriggerRules;
  readonly releases: readonly ReleaseMapping[];
}

const Variable = {
  stateMachineArn: 'STATE_MACHINE_ARN',
  tableName: 'TABLE_NAME',
  triggers: 'TRIGGERS',
} as const;

/** Lambda takes 4 KB; some of that is left for names that the deployment only knows later. */
const MAX_BYTES = 3_800;

/** @throws `InvalidInput` for triggers that do not fit in. */
export function writeStartEnv(settings: StartSettings): Record<string, string> {
  const { stateMachineArn, tableName, rules, releases } = settings;
  const mappings = releases.map((release) => releaseMappingSchema.parse(release));
  const triggers = JSON.stringify({ rules, releases: mappings });
  const bytes = new TextEncoder().encode(triggers).length;
  if (bytes > MAX_BYTES) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `triggers.releases, runtimes: they are ${bytes} bytes, and a function's environment holds ${MAX_BYTES}`,
    );
  }
  return {
    [Variable.stateMachineArn]: stateMachineArn,
    [Variable.tableName]: tableName,
    [Variable.triggers]: triggers,
  };
}

/** @throws `InvalidInput` that lists every mistake. */
export function readStartEnv(
  environment: Readonly<Record<string, string | undefined>>,
): StartSettings {
  const read = parseInput(startEnvSchema, environment, 'environment');
  return {
    stateMachineArn: read[Variable.stateMachineArn],
    tableName: read[Variable.tableName],
    ...read[Variable.triggers],
  };
}

const triggersSchema = z.strictObject({
  rules: z.strictObject({ runtimes: z.array(z.string()), maxAgeSeconds: z.int() }),
  releases: z.array(releaseMappingSchema),
});

const startEnvSchema = z.object({
  [Variable.stateMachineArn]: z.string().min(1),
  [Variable.tableName]: z.string().min(1),
  [Variable.triggers]: z
    .string()
    .transform((text, { issues }): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        issues.push({ code: 'custom', message: 'use JSON', input: text });
        return z.NEVER;
      }
    })
    .pipe(triggersSchema),
});
