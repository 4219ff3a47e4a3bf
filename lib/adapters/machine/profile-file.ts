import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'ini';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { inHome } from './home.ts';

/** The sections of a profiles file by the names of their profiles. Their content is not checked. */
type ProfileSections = ReadonlyMap<string, unknown>;

/**
 * Reads a profiles file, an INI file like the AWS CLI's: `[default]`, `[prod]` or `[profile prod]`. A file that does
 * not exist has no profiles.
 *
 * @throws `InvalidInput` when the file cannot be read, or has text outside of sections.
 */
export function readProfileFile(path: string): ProfileSections {
  const sections = new Map<string, unknown>();
  for (const [header, section] of Object.entries(parse(dotsInNames(readText(path))))) {
    if (typeof section !== 'object') {
      throw new SteprollError(
        ErrorName.InvalidInput,
        `${path}: ${header}: put it under a [profile]`,
      );
    }
    // In a map, a name such as `constructor` is a name like any other.
    sections.set(header.replace(/^profile\s+/, ''), { ...section });
  }
  return sections;
}

/**
 * A relative path in a profile starts at the folder of the profiles file; `~` is the home folder.
 *
 * @throws `InvalidInput` when there is no home folder.
 */
export function pathInProfile(profileFile: string, path: string): string {
  if (!path.startsWith('~/')) return resolve(dirname(profileFile), path);
  const found = inHome(path.slice(2));
  if (found !== null) return found;
  throw new SteprollError(
    ErrorName.InvalidInput,
    `${profileFile}: ${path}: there is no home folder`,
  );
}

/** The parser would read a dot in a section's name as a section within a section. */
function dotsInNames(text: string): string {
  return text.replace(/^\[[^\]\n]*\]/gm, (header) => header.replaceAll('.', '\\.'));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    const message = `Cannot read ${path}: ${errorMessageOf(cause)}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}
