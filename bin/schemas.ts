import { writeJsonFile } from '../lib/adapters/write-json-file.ts';
import { functionSchemas } from '../lib/contract/function-schemas.ts';

for (const [name, schema] of Object.entries(functionSchemas())) {
  writeJsonFile(`schemas/functions/${name}`, schema);
}
