// The throttler package is CommonJS and requires these ES modules. jest can require them only after an import.
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';
