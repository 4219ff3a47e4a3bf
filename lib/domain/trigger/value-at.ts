/** What is in an event under a path of keys, `detail.image-tag`; `undefined` where there is nothing. */
export function valueAt(event: unknown, path: string): unknown {
  return path.split('.').reduce(ownValue, event);
}

function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
