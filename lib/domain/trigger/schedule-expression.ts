const RATE = /^([1-9]\d{0,4}) (minute|hour|day)(s?)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** What is wrong with a rate as EventBridge takes it, `1 hour` or `5 minutes`; `null` when nothing is. */
export function faultOfRate(text: string): string | null {
  const [, amount, , plural] = RATE.exec(text) ?? [];
  const isRate = amount !== undefined && (amount === '1') === (plural === '');
  return isRate ? null : 'use a number and a unit: "1 hour", "5 minutes", "2 days"';
}

/** What is wrong with the time of a one-time schedule, `2026-12-01T03:00:00`; `null` when nothing is. */
export function faultOfTime(text: string): string | null {
  const time = TIME.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  // 30 February is read as 2 March.
  const isTime = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isTime ? null : 'use a date and a time without a zone: "2026-12-01T03:00:00"';
}
