interface CronField {
  readonly name: string;
  readonly lowest: number;
  readonly highest: number;
  /** Names for the numbers, beginning with the lowest. */
  readonly names?: readonly string[];
  /** Other forms that the field may have instead of a list. */
  readonly also?: RegExp;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html */
const FIELDS: readonly CronField[] = [
  { name: 'minutes', lowest: 0, highest: 59 },
  { name: 'hours', lowest: 0, highest: 23 },
  { name: 'day of month', lowest: 1, highest: 31, also: /^(\?|L|([1-9]|[12]\d|3[01])W)$/ },
  { name: 'month', lowest: 1, highest: 12, names: MONTHS },
  {
    name: 'day of week',
    lowest: 1,
    highest: 7,
    names: DAYS,
    also: new RegExp(String.raw`^(\?|L|([1-7]|${DAYS.join('|')})(L|#[1-5]))$`),
  },
  { name: 'year', lowest: 1970, highest: 2199 },
];

/** What is wrong with a cron expression of EventBridge, `0 3 * * ? *`; `null` when nothing is. */
export function faultOfCron(text: string): string | null {
  const parts = text.split(' ');
  if (parts.length !== FIELDS.length) {
    return `use ${FIELDS.length} fields, one space between: ${FIELDS.map(({ name }) => name).join(', ')}`;
  }
  const wrong = FIELDS.filter((field, index) => !fits(parts[index] ?? '', field));
  if (wrong.length > 0) {
    return `use what EventBridge knows for: ${wrong.map(({ name }) => name).join(', ')}`;
  }
  const [, , dayOfMonth, , dayOfWeek] = parts;
  return (dayOfMonth === '?') === (dayOfWeek === '?')
    ? 'use ? for either the day of month or the day of week'
    : null;
}

function fits(part: string, field: CronField): boolean {
  return field.also?.test(part) === true || part.split(',').every((item) => isItem(item, field));
}

/** An item is `*`, `5`, `MON` or `MON-FRI`, each with or without a step: `0/15`. */
function isItem(item: string, field: CronField): boolean {
  const [range = '', step = '1', ...rest] = item.split('/');
  const isStep = /^[1-9]\d?$/.test(step) && Number(step) <= field.highest;
  return rest.length === 0 && isStep && (range === '*' || isRange(range, field));
}

function isRange(range: string, field: CronField): boolean {
  const [from = '', to = from, ...rest] = range.split('-');
  const [low, high] = [numberOf(from, field), numberOf(to, field)];
  return rest.length === 0 && low !== null && high !== null && low <= high;
}

function numberOf(text: string, { lowest, highest, names = [] }: CronField): number | null {
  const named = names.indexOf(text);
  if (named >= 0) return lowest + named;
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return number >= lowest && number <= highest ? number : null;
}

const RATE = /^([1-9]\d{0,4}) (minute|hour|day)(s?)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** What is wrong with a rate for EventBridge, such as `1 hour` or `5 minutes`; `null` when nothing is. */
export function faultOfRate(text: string): string | null {
  const [, amount, , plural] = RATE.exec(text) ?? [];
  const isRate = amount !== undefined && (amount === '1') === (plural === '');
  return isRate ? null : 'use a number and a unit: "1 hour", "5 minutes", "2 days"';
}

/** What is wrong with the time of a one-time schedule, `2026-12-01T03:00:00`; `null` when nothing is. */
export function faultOfTime(text: string): string | null {
  const time = TIME.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  // JavaScript reads 30 February as 2 March.
  const isTime = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isTime ? null : 'use a date and a time without a zone: "2026-12-01T03:00:00"';
}
