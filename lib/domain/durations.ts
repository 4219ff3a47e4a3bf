/** `8 s`, `2 min 5 s`, `1 h 12 min`, `6 days 23 h`: as exact as people need it. */
export function describeDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (minutes <= DAY_MIN)
    return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = `${Math.floor(hours / 24)} ${hours < 48 ? 'day' : 'days'}`;
  return hours % 24 === 0 ? days : `${days} ${hours % 24} h`;
}

/** A day at most is told in hours. */
const DAY_MIN = 24 * 60;

const SECONDS_OF_UNIT = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const DURATION = /^(\d{1,9})(s|m|h|d)?$/;

/** Reads a duration as people write it, in seconds: `0`, `30`, `30s`, `5m`, `12h`, `1d`. `undefined`: it is none. */
export function secondsOf(text: string): number | undefined {
  const [, amount, unit = 's'] = DURATION.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * SECONDS_OF_UNIT[unit as keyof typeof SECONDS_OF_UNIT];
}
