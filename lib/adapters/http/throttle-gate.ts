import type { Clock } from '../../ports/clock.ts';

export interface ThrottleGate {
  /** Nothing is to be sent for `milliseconds` from now. */
  close(milliseconds: number): void;
  /** Milliseconds until something may be sent: 0 while the gate is open. */
  remaining(): number;
}

/** When one call is told to wait, all calls of the client wait: the service meant its caller. */
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
