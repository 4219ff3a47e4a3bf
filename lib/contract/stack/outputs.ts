import { z } from 'zod';

/** What commands find an instance by. Together they are those of steproll, and of nothing else. */
const needed = z.object({
  EndpointUrl: z.string().min(1),
  StateMachineArn: z.string().min(1),
  TableName: z.string().min(1),
  EventBusName: z.string().min(1),
  HistoryDays: z.coerce.number().int().optional(),
});
export type FoundOutputs = z.infer<typeof needed>;

/** An instance of steproll in a stack. */
interface Instance {
  /** Of the construct, as outputs have it. */
  readonly id: string;
  readonly outputs: FoundOutputs;
}

const MARK: keyof FoundOutputs = 'StateMachineArn';

/**
 * The first part of the names of an instance's outputs: names of outputs have only letters and digits.
 *
 * @param path The id of the construct, with those of what it is in, below the stack.
 */
export function outputsId(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, '');
}

/** The instances of steproll whose outputs a stack has, by their ids. */
export function instancesIn(outputs: Readonly<Record<string, string>>): readonly Instance[] {
  return Object.keys(outputs)
    .filter((name) => name.endsWith(MARK))
    .map((name) => name.slice(0, -MARK.length))
    .toSorted()
    .flatMap((id) => {
      const own = Object.keys(needed.shape).map((name) => [name, outputs[`${id}${name}`]]);
      const { data } = needed.safeParse(Object.fromEntries(own));
      return data === undefined ? [] : [{ id, outputs: data }];
    });
}
