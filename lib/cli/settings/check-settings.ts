import type * as z from 'zod';
import { checkInput } from '../../contract/parse-input.ts';
import { type Settings, valuesOf } from './settings.ts';

/** Checks the settings of a command. A mistake shows what was typed, under the name of its place. */
export function checkSettings<S extends z.ZodObject>(schema: S, settings: Settings) {
  return checkInput<z.output<S>>(
    schema as unknown as z.ZodType<z.output<S>>,
    valuesOf(settings),
    (name) => settings.get(name)?.from ?? name,
    (name) => {
      const value = settings.get(name)?.value;
      return typeof value === 'string' ? value : undefined;
    },
  );
}
