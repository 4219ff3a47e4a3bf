export interface CallSubject {
  readonly runtimeId?: string;
  readonly rolloutId?: string;
}

/** Where the workflow and pipelines put the ids in an event. */
const PLACES = ['input', 'position', 'batch'] as const;

/** Which runtime and rollout an event is about, as far as it says so: it is not checked yet. */
export function subjectOf(event: unknown): CallSubject {
  // An execution that was handed over to is not named after its rollout.
  const handedOver = fieldOf(fieldOf(event, 'input'), 'position');
  const places = [handedOver, event, ...PLACES.map((key) => fieldOf(event, key))];
  const first = (key: string) => places.map((place) => fieldOf(place, key)).find(isId);
  const runtimeId = first('runtimeId');
  const rolloutId = first('rolloutId');
  return {
    ...(runtimeId !== undefined && { runtimeId }),
    ...(rolloutId !== undefined && { rolloutId }),
  };
}

function fieldOf(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Record<string, unknown>)[key]
    : undefined;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 256;
}
