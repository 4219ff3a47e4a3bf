import * as z from 'zod';
import { EVENT_KINDS } from '../../domain/events/kinds.ts';

/** Which events somebody wants to be told: of webhooks on one machine, and of notifications on AWS. */
export const eventKindsSchema = z.array(z.enum(EVENT_KINDS)).min(1);
