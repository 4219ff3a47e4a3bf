import { Token } from 'aws-cdk-lib';
import {
  type FunctionSettings,
  lateValue,
  writeFunctionEnv,
} from '../../contract/functions/environment.ts';

interface Written {
  readonly environment: Readonly<Record<string, string>>;
  /** What the file beside the code says, with references in the place of values that are not known yet. */
  readonly file: unknown;
}

/**
 * The environment of a function. A value that is known only where the stack is deployed has a variable of its own: it
 * would not be filled in within a file, and its quotes would break the JSON around it.
 *
 * @param file What the file beside the code says. @default - there is none
 */
export function functionEnv(settings: Partial<FunctionSettings>, file?: unknown): Written {
  const late = new Map<string, string>();
  const refer = (value: unknown): unknown => {
    if (typeof value === 'string' && Token.isUnresolved(value)) {
      const { fromEnvironment } = lateValue(late.size);
      const name = late.get(value) ?? fromEnvironment;
      late.set(value, name);
      return { fromEnvironment: name };
    }
    if (Array.isArray(value)) return value.map(refer);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, refer(one)]));
  };
  const known = Object.entries(settings).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : refer(value),
  ]);
  const written = { settings: Object.fromEntries(known), file: refer(file) };
  const values = [...late].map(([value, name]) => [name, value]);
  return {
    environment: { ...writeFunctionEnv(written.settings), ...Object.fromEntries(values) },
    file: written.file,
  };
}

/** The most that Lambda takes: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MOST_BYTES = 4_096;

/** What a value counts that is not known yet. Most ARNs with generated names are shorter. */
const LATE_BYTES = 128;

/**
 * What is wrong with the size of an environment, in a sentence.
 *
 * @param variables As CloudFormation gets them.
 */
export function faultOfSize(variables: Readonly<Record<string, unknown>>): string | undefined {
  const bytes = Object.entries(variables).reduce(
    (sum, [name, value]) => sum + name.length + bytesOf(value),
    0,
  );
  if (bytes <= MOST_BYTES) return undefined;
  return `the environment of this function has about ${bytes} bytes, and Lambda takes ${MOST_BYTES}: write names and ARNs out that the app knows, because each that is known only when the stack is deployed counts ${LATE_BYTES}`;
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const [, parts] = (value as { readonly 'Fn::Join'?: [string, unknown[]] })['Fn::Join'] ?? [];
  return parts?.reduce<number>((sum, part) => sum + bytesOf(part), 0) ?? LATE_BYTES;
}
