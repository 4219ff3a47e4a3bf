import { writeJsonFile } from '../lib/adapters/write-json-file.ts';
import { configJsonSchema } from '../lib/contract/config-schema.ts';
import { eventSchemas } from '../lib/contract/event-schemas.ts';
import { functionSchemas } from '../lib/contract/function-schemas.ts';

writeJsonFile('schemas/steproll.config.schema.json', configJsonSchema());
for (const [name, schema] of Object.entries(functionSchemas())) {
  writeJsonFile(`schemas/functions/${name}`, schema);
}
for (const [name, schema] of Object.entries(eventSchemas())) {
  writeJsonFile(`schemas/events/${name}`, schema);
}
