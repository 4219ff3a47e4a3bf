const EARNED_PER_CALL = 1;
const COST_OF_RETRY = 10;
const MOST_CREDIT = 100;

export interface RetryBudget {
  /** A call starts. */
  earn(): void;
  /** Whether a retry may be made; if so, it is paid for. */
  spend(): boolean;
}

/**
 * Retries may add 10 % to the calls, so that a service in trouble is not drowned by its callers:
 * each call earns a tenth of a retry. The credit of 10 retries to start with, which is also the most
 * that can be saved, lets a single call retry. A call that is made again with a new token is a retry, too, unless
 * the old one was good before.
 */
export function createRetryBudget(): RetryBudget {
  let credit = MOST_CREDIT;
  return {
    earn() {
      credit = Math.min(credit + EARNED_PER_CALL, MOST_CREDIT);
    },
    spend() {
      if (credit < COST_OF_RETRY) {
        return false;
      }
      credit -= COST_OF_RETRY;
      return true;
    },
  };
}
