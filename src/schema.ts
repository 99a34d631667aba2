import './core/clock.schema.ts'
import './identity/viewer.schema.ts'
import './identity/user.schema.ts'
import './identity/group.schema.ts'
import './identity/token.schema.ts'
import './identity/llm.schema.ts'
import './identity/player.schema.ts'
import './identity/registry.schema.ts'
import './graph/concept.schema.ts'
import './graph/link.schema.ts'
import './graph/traversal.schema.ts'
import './graph/upsert.schema.ts'
import { builder } from './core/builder.ts'

/** Every room's types and fields, put together. */
export const schema = builder.toSchema()
