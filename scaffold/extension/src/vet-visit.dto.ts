import { TextField } from 'petstore-service';

/** The body of createVetVisit. Each field is declared once, for the check and for the OpenAPI document. */
export class VetVisitCreation {
  @TextField({ description: 'The name.', example: 'First', maxLength: 100 })
  name!: string;
}
