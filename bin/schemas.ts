import { writeJsonFile } from '../lib/adapters/machine/files.ts';
import { configJsonSchema } from '../lib/contract/config/config.ts';
import { eventSchemas } from '../lib/contract/event.ts';
import { functionSchemas } from '../lib/contract/functions/operations.ts';
import { outputSchemas } from '../lib/telling/view/output-schemas.ts';

writeJsonFile('schemas/steproll.config.schema.json', configJsonSchema());
for (const [name, schema] of Object.entries(functionSchemas())) {
  writeJsonFile(`schemas/functions/${name}`, schema);
}
for (const [name, schema] of Object.entries(outputSchemas())) {
  writeJsonFile(`schemas/output/${name}`, schema);
}
for (const [name, schema] of Object.entries(eventSchemas())) {
  writeJsonFile(`schemas/events/${name}`, schema);
}
