#!/bin/sh
name=world
echo "Hello, $name!"
