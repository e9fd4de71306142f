import { applyDecorators, type INestApplication, SetMetadata } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';

/** A heading under which the OpenAPI document lists operations. */
type Group = Readonly<Record<'name' | 'description', string>>;

const GROUP = 'petstore:operation-group';

/** Puts a controller's operations under a heading of the OpenAPI document. */
export function OperationGroup(name: string, description: string): ClassDecorator {
  return applyDecorators(SetMetadata(GROUP, { name, description } satisfies Group), ApiTags(name));
}

/** The headings of all controllers, in the order of the modules, each once. */
export function operationGroups(app: INestApplication): Group[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const groups = controllers.map(
    ({ metatype }) => metatype && (Reflect.getMetadata(GROUP, metatype) as Group | undefined),
  );
  return [...new Map(groups.filter((group) => group != null).map((group) => [group.name, group])).values()];
}
