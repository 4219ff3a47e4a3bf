import * as z from 'zod';

const SECONDS_OF_UNIT = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const DURATION = /^(\d{1,9})(s|m|h|d)?$/;

/** A duration as people write it, in seconds: `0`, `30`, `30s`, `5m`, `12h`, `1d`. */
export const durationSchema = durationField(
  'use whole seconds, or a whole number with s, m, h or d: 30, 5m, 12h',
);

/** A duration whose mistake is told in other words. */
export function durationField(message: string) {
  return z.string().transform((text, context) => {
    const [, amount, unit = 's'] = DURATION.exec(text) ?? [];
    if (amount !== undefined) {
      return Number(amount) * SECONDS_OF_UNIT[unit as keyof typeof SECONDS_OF_UNIT];
    }
    context.issues.push({
      code: 'custom',
      message,
      input: text,
    });
    return z.NEVER;
  });
}
