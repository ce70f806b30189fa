# -*- coding: none-such -*-
