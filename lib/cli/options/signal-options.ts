import * as z from 'zod';
import { ledgerShape } from './global-options.ts';
import { idField } from './id-field.ts';

/** What every command takes that is about one rollout. */
export const rolloutShape = {
  ...ledgerShape,
  'rollout-id': idField('use the id of a rollout'),
};

/** What every command takes that says something to a rollout. */
export const signalShape = {
  ...rolloutShape,
  '--reason': z.string().max(1_000).default(''),
};
