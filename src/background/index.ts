export { RecurringTask } from './recurring-task.js';
