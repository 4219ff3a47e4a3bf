import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

export interface ThrottleGate {
  /** Closes the gate: nothing may be sent for `milliseconds` from now. */
  close(milliseconds: number): void;
  /** Milliseconds until something may be sent: 0 while the gate is open. */
  remaining(): number;
}

/** When one call is told to wait, all calls of the client wait, because the service means the client. */
export function createThrottleGate(clock: Clock): ThrottleGate {
  let opensAt = 0;
  return {
    close(milliseconds) {
      opensAt = Math.max(opensAt, clock.now() + milliseconds);
    },
    remaining() {
      return Math.max(opensAt - clock.now(), 0);
    },
  };
}

/** The error of a call that does not wait for a gate that stays closed for `milliseconds`. */
export function heldBack(who: string, milliseconds: number): SteprollError {
  const retryAfterSeconds = Math.ceil(milliseconds / 1_000);
  return new SteprollError(
    ErrorName.UpstreamThrottled,
    `nothing was sent: ${who} wants no request for another ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}
