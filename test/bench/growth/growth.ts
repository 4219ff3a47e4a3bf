/** What something takes at one size. What is not measured is left out. */
export interface Measured {
  readonly size: number;
  /** Calls to the service. */
  readonly calls?: number;
  /** Read and write units of DynamoDB. */
  readonly units?: number;
  /** Seconds of CPU time, of user and system. */
  readonly cpu?: number;
  /** The most memory, in megabytes. */
  readonly megabytes?: number;
  /** What else there is to say. */
  readonly note?: string;
}

/** Something that grows, from the smallest to the largest size. */
export interface Growth {
  readonly title: string;
  readonly measured: readonly Measured[];
}

/** A table of what it takes, with the exponents from each size to the next one. */
export function growthTable({ title, measured }: Growth): string[] {
  const lines = measured.map((one, index) => {
    const before = measured[index - 1];
    const counted = (name: 'calls' | 'units' | 'cpu', digits: number) =>
      one[name] === undefined
        ? ['-', '']
        : [one[name].toFixed(digits), exponentOf(name, one, before)];
    return row([
      one.size.toLocaleString('en'),
      ...counted('calls', 0),
      ...counted('units', 0),
      ...counted('cpu', 2),
      one.megabytes === undefined ? '-' : `${Math.round(one.megabytes)} MB`,
      one.note ?? '',
    ]);
  });
  const head = row(['', 'calls', '^', 'units', '^', 'CPU-s', '^', 'memory', '']);
  return [title, head, ...lines];
}

/** 1: it grows with the size. 2: twice the size takes four times as much. */
function exponentOf(
  name: 'calls' | 'units' | 'cpu',
  one: Measured,
  before: Measured | undefined,
): string {
  const grown = (one[name] ?? 0) / (before?.[name] ?? 0);
  return Number.isFinite(grown) && grown > 0
    ? (Math.log(grown) / Math.log(one.size / (before?.size ?? 0))).toFixed(2)
    : '';
}

const WIDTHS = [10, 10, 7, 10, 7, 10, 7, 10];

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padStart(WIDTHS[index] ?? cell.length + 2))
    .join('')
    .trimEnd();
}
