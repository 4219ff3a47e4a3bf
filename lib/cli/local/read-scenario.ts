import { readJsonFile } from '../../adapters/machine/files.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { parseScenario, type Scenario } from '../../simulation/scenario.ts';

/** @throws `InvalidInput` that names the option `--scenario` and the file. */
export function readScenario(file: string): Scenario {
  try {
    const { value, mistakes } = readJsonFile(file);
    return parseScenario(value, `scenario ${file}`, mistakes);
  } catch (cause) {
    throw new SteprollError(ErrorName.InvalidInput, `--scenario: ${errorMessageOf(cause)}`, {
      cause,
    });
  }
}
