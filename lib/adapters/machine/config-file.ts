import { type Mistake, mistakeAt } from '../../contract/input/parse-input.ts';
import type { WrittenJson } from '../../contract/input/written-json.ts';
import { errorMessageOf } from '../../domain/errors.ts';
import { pathSeenFrom, readJsonFile } from './files.ts';

/**
 * Reads a configuration, with the earlier ones that it names in `retired` in the place of their names. Those are seen from
 * its folder.
 *
 * @throws `InvalidInput` when the file is not there or not JSON.
 */
export function readConfigFile(path: string): WrittenJson {
  const { value, mistakes } = readJsonFile(path);
  const { retired } = Object(value) as { readonly retired?: unknown };
  if (!Array.isArray(retired)) return { value, mistakes };
  const earlier = retired.map((name, index) => readEarlier(path, name, index));
  return {
    value: { ...Object(value), retired: earlier.map((one) => one.value) },
    mistakes: [...mistakes, ...earlier.flatMap((one) => one.mistakes)],
  };
}

function readEarlier(path: string, name: unknown, index: number): WrittenJson {
  const place = ['retired', index];
  const faulty = (verdict: string) => ({ value: {}, mistakes: [mistakeAt(place, verdict)] });
  if (typeof name !== 'string')
    return faulty(
      `${JSON.stringify(name)}: use the name of a file, which has an earlier configuration as it was`,
    );
  try {
    const { value, mistakes } = readJsonFile(pathSeenFrom(path, name));
    const at = (mistake: Mistake) => mistakeAt(place, `${name}, ${mistake.text}`);
    return { value, mistakes: mistakes.map(at) };
  } catch (error) {
    return faulty(errorMessageOf(error));
  }
}
