import * as z from 'zod';
import { FAULT_LEVELS } from '../../rehearsal/draw-faults.ts';
import { ALWAYS, wholeNumber } from './fields.ts';
import { globalShape, ledgerShape } from './global-shape.ts';
import { checkVersion, wantedShape } from './rollout-options.ts';

const MOST_REHEARSALS = 1_000_000;
/** The seeds of all rehearsals from this one on are whole numbers that differ. */
const LAST_SEED = Number.MAX_SAFE_INTEGER - MOST_REHEARSALS;

const rehearseShape = {
  '--runs': wholeNumber.pipe(z.int().max(MOST_REHEARSALS)).optional(),
  '--seed': wholeNumber.pipe(z.int().max(LAST_SEED)).optional(),
  '--faults': z.enum(FAULT_LEVELS).optional(),
  '--against': z.string().min(1).optional(),
};

/** The options of `rehearse`, on the fleet that the service lists. */
export const rehearseListedSchema = z
  .strictObject({ ...globalShape, ...wantedShape, ...rehearseShape })
  .superRefine(checkVersion, ALWAYS);

/** The options of `rehearse`, on the fleet of a scenario: no service is called. */
export const rehearseScenarioSchema = z
  .strictObject({
    ...ledgerShape,
    ...wantedShape,
    ...rehearseShape,
    '--scenario': z.string().min(1),
  })
  .superRefine(checkVersion, ALWAYS);
