import { errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import type { GateAnswer } from '../../gates/gate.ts';
import { adviceOnSettings } from '../aws/aws-errors.ts';

/** The answer when CloudWatch gives none. Its errors are known by their names; a missing region has only a message. */
export function silenceOf(error: unknown): GateAnswer {
  const name = errorNameOf(error);
  const detail = name === 'Error' ? errorMessageOf(error) : name;
  const mend = adviceOnSettings(error);
  return { verdict: 'unknown', detail, ...(mend !== null && { mend }) };
}
