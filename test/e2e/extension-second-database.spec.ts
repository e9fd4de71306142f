import { describe, expect, it } from '@jest/globals';
import { Controller, Module, Post } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';
import { Database, Public } from '../../src/index.js';
import { startApp } from '../support/app.js';

@Entity({ name: 'reports' })
class Report {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'text' })
  text!: string;
}

@Controller('reports')
class ReportsController {
  constructor(
    @InjectRepository(Report, 'reports') private readonly reports: Repository<Report>,
    private readonly database: Database,
  ) {}

  /** A failed transaction of the service leaves what the other database has. */
  @Post()
  @Public()
  async add(): Promise<object> {
    const work = this.database.write(async () => {
      await this.reports.save({ text: 'kept' });
      throw new Error('on purpose');
    });
    const message = await work.then(
      () => '',
      (error: Error) => error.message,
    );
    return { message, count: await this.reports.count() };
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      name: 'reports',
      type: 'better-sqlite3',
      database: ':memory:',
      entities: [Report],
      synchronize: true,
    }),
    TypeOrmModule.forFeature([Report], 'reports'),
  ],
  controllers: [ReportsController],
})
class ReportsModule {}

describe('an extension with a database of its own', () => {
  it('uses it beside that of the service, whose transactions do not concern it', async () => {
    const service = await startApp({ extensions: [{ module: ReportsModule }] });
    const response = await service.request('/v1/reports', { method: 'POST' });
    expect(await response.json()).toEqual({ message: 'on purpose', count: 1 });
    const pets = await service.request('/v1/pets', { key: await service.key() });
    expect(await pets.json()).toEqual([]);
    await service.stop();
  });
});
