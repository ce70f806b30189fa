# -*- coding: latin-1 -*-
name = 'ä'
