import type * as z from 'zod';
import { checkInput } from '../contract/parse-input.ts';
import { type Settings, valuesOf } from './settings.ts';

/** Checks the settings of a command. A mistake is told under the name of the place it came from. */
export function checkSettings<S extends z.ZodObject>(schema: S, settings: Settings) {
  return checkInput<z.output<S>>(
    schema as unknown as z.ZodType<z.output<S>>,
    valuesOf(settings),
    (name) => settings.get(name)?.from ?? name,
  );
}
